"""What several test files share. The folders of tests are no packages, this one is."""
