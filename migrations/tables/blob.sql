-- Texts and files that are too long for an event.

create table blob (
  tenant_id text not null,
  thread_id text not null,
  key text not null check (char_length(key) between 1 and 200),
  mime text not null check (char_length(mime) <= 200),
  bytes bytea not null,
  primary key (tenant_id, thread_id, key)
);
