/** The headers by which LangGraph's client pages: how many there are, and the offset of the next page if there is one. */
export function paginationHeaders(
  page: { readonly limit: number; readonly offset: number },
  total: number,
): Readonly<Record<string, string>> {
  const next = page.offset + page.limit
  return {
    'x-pagination-total': String(total),
    ...(next < total ? { 'x-pagination-next': String(next) } : {}),
  }
}
