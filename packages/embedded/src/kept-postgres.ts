import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './embedded-postgres.ts'

/** A server that is started when it is first asked for, and outlives every start that uses it. */
export class KeptPostgres {
  #started: Promise<EmbeddedPostgres> | null = null

  /**
   * Answers the server that runs, or a new one; stopping the answer does not stop the server. A start that failed is tried anew.
   *
   * @throws EmbeddedPostgresError
   */
  readonly start = async (
    options: EmbeddedPostgresOptions,
  ): Promise<Pick<EmbeddedPostgres, 'url' | 'failed' | 'stop'>> => {
    this.#started ??= startEmbeddedPostgres(options)
    try {
      const { url, failed } = await this.#started
      return { url, failed, stop: () => Promise.resolve() }
    } catch (error) {
      this.#started = null
      throw error
    }
  }

  async stop(): Promise<void> {
    const started = this.#started
    this.#started = null
    const server = await started?.catch(() => null)
    await server?.stop()
  }
}
