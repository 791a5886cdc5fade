"""Reports as text, JSON, SARIF, GitHub annotations and JUnit, and rules as pages."""
