import { Client } from 'pg'

/** A listener on the raw channel, and a voice of its own. Reads and writes payloads as the wire has them. */
export interface Eavesdropper {
  /** Every payload so far. */
  readonly payloads: readonly string[]
  /** Signals of all payloads so far, of the given kind. */
  signals(kind: string): readonly (readonly unknown[])[]
  say(payload: string): Promise<void>
  close(): Promise<void>
}

/** Listens to the wake channel of a server. */
export async function eavesdrop(url: string): Promise<Eavesdropper> {
  const client = new Client(url)
  const payloads: string[] = []
  client.on('notification', ({ payload }) => void payloads.push(payload ?? ''))
  await client.connect()
  await client.query('listen signalbox_wake')
  return {
    payloads,
    signals: (kind) =>
      payloads.flatMap((payload) => {
        const [, ...signals]: readonly unknown[][] = JSON.parse(payload)
        return signals.filter(([first]) => first === kind)
      }),
    say: async (payload) =>
      void (await client.query(`select pg_notify('signalbox_wake', $1)`, [payload])),
    close: () => client.end(),
  }
}
