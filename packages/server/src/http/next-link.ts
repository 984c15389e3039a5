/** The `Link` header to the page after the one that ends at `position`. */
export function nextLink(url: string, position: string): string {
  const { pathname, searchParams } = new URL(url)
  searchParams.set('after', position)
  return `<${pathname}?${searchParams.toString()}>; rel="next"`
}
