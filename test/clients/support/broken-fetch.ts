/** Fetches that lose what a real server answered: to be given to a client. */
type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Sends each request, and loses the answer of the first ones that are meant. */
export function losing(isMeant: (url: string, init: RequestInit) => boolean, count: number) {
  const sent: RequestInit[] = []
  const send: Fetch = async (url, init) => {
    const response = await fetch(url, init)
    if (!isMeant(url, init)) return response
    sent.push(init)
    if (sent.length > count) return response
    await response.body?.cancel()
    throw new TypeError('the connection was lost')
  }
  return { fetch: send, sent }
}

/** Breaks the n-th body after `after[n]` bytes, and none beyond these. */
export function cutting(after: readonly number[]) {
  const left = [...after]
  let cuts = 0
  const send: Fetch = async (url, init) => {
    const response = await fetch(url, init)
    let budget = left.shift()
    if (budget === undefined || response.body === null) return response
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        if (budget === undefined) return
        controller.enqueue(bytes.subarray(0, budget))
        budget -= bytes.length
        if (budget > 0) return
        cuts += 1
        controller.error(new TypeError('the connection was lost'))
      },
    })
    return new Response(response.body.pipeThrough(cut), response)
  }
  return { fetch: send, cuts: () => cuts }
}
