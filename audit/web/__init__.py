"""What the pages of every app share: form fields, forms that refuse, evidence marks, lists."""
