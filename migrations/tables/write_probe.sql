-- What `probe_write` fills and truncates.

create table write_probe (filler text not null);
