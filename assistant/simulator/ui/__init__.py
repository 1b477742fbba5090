"""Views of the simulated phone: nodes, layout, drawing, the UI tree as XML, and the window manager."""
