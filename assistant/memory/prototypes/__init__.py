"""Record prototypes, preferences and routines (PersonalAlign, section 5)."""
