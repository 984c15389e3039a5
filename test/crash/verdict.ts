/** An error that nobody handles ends a suite; it still says that it failed, and leaves no servers behind. */
export function failOnUnhandled(stopAll: () => Promise<unknown>): void {
  process.once('uncaughtException', (error, origin) => {
    console.log(`FAILED ${origin}: ${String(error.stack)}`)
    void stopAll()
      .catch(() => {})
      .finally(() => {
        console.log('0 passed, 1 failed')
        process.exit(1)
      })
  })
}
