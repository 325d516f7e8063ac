"""What people look at: pages, folders that hold a page, the live viewer."""
