/** What the server of a test run tells the test files. */
export interface ServerFacts {
  /** Address and port. */
  readonly host: string
}

export const passwords = {
  admin: 'test-admin',
  app: 'test-app',
  engine: 'test-engine',
  maintenance: 'test-maintenance',
}

/** A migrated database that each test file copies. */
export const templateName = 'signalbox_template'
