/** Is a place of a shell outside of the workspace: below the root or a home, or above where it began? */
export const isOutside = (place: string | null): boolean =>
  place !== null && /^(?:[/~$]|\.\.(?:\/|$))/.test(place)
