/** Milliseconds since the epoch as ISO 8601. */
export const iso = (ms: number): string => new Date(ms).toISOString()
