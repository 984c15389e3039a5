/**
 * Positions in the feed: `<xid>-<gpos>`, each 20 digits, so that they order as texts. Ordered by transaction first, the
 * feed is gap-safe: nothing is shown while an older transaction may still commit something before it (I17).
 */

/** A position, taken apart; null if the text is none. */
export function parsePosition(
  text: string,
): { readonly xid: string; readonly gpos: string } | null {
  const match = /^(\d{20})-(\d{20})$/.exec(text)
  if (match?.[1] === undefined || match[2] === undefined) return null
  const [xid, gpos] = [BigInt(match[1]), BigInt(match[2])]
  if (xid >= 2n ** 64n || gpos >= 2n ** 63n) return null
  return { xid: xid.toString(), gpos: gpos.toString() }
}
