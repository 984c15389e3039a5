-- needs_code: 18
-- Holds the number for a step that another branch brings.

select 1;
