"""The assistant for other programs: tools by the Model Context Protocol, turns by the Agent Client one."""
