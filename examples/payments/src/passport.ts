/** The limits of the cashier: it may charge up to 500.00 EUR or USD at a time, and 2,000.00 EUR a day. */
export const passport = {
  passport_id: '3c1f7a52-6a0e-4d2b-9a55-0c8e7d1b2f40',
  kind: 'instance',
  spec_version: 'oap/1.0',
  owner_id: 'harbour-shop',
  owner_type: 'org',
  assurance_level: 'L2',
  status: 'active',
  capabilities: [{ id: 'payments.charge' }],
  limits: {
    'payments.charge': {
      currency_limits: {
        EUR: { max_per_tx: 50_000, daily_cap: 200_000 },
        USD: { max_per_tx: 50_000 },
      },
    },
  },
  regions: ['DE'],
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  version: '1.0.0',
}
