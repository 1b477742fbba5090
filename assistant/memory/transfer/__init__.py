"""Memory in and out: record lines, and FingerTip's folders."""
