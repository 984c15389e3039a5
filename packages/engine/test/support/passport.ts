/** A passport that allows what its capabilities name. */
export const activePassport = {
  passport_id: '0190f4a0-0000-7000-8000-000000000001',
  kind: 'instance',
  spec_version: 'oap/1.0',
  owner_id: 'o',
  owner_type: 'org',
  assurance_level: 'L3',
  status: 'active',
  capabilities: [],
  limits: {},
  regions: ['DE'],
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  version: '1.0.0',
}
