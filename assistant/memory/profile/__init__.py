"""The user's profile as a graph, DisGraph (MobiMem, section 4.1)."""
