"""What is raised when a file is no saved model."""


class ModelFileError(ValueError):
    """A file is no saved model, is damaged, or holds what this version does not know."""
