/** Is a place of a shell outside of the workspace: below the root or a home, or above where it began? */
export const isOutside = (place: string | null): boolean =>
  place !== null && /^(?:[/~$]|\.\.(?:\/|$))/.test(place)

/** Or in a hidden folder of it, where names mean more than they do elsewhere: `.git/hooks`. */
export const isElsewhere = (place: string | null): boolean =>
  isOutside(place) || (place !== null && /(?:^|\/)\.[^./]/.test(place))
