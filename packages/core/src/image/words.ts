/** The words for an image where the image itself does not stand. Names are quoted: they are data that somebody else chose. */
import type { BlobPart, ImagePart, TextPart } from '../message.ts'

type Named = Pick<ImagePart, 'name' | 'mime' | 'width' | 'height'>

/** `image "chart.png", image/png, 800 × 600`. */
export const imageWords = ({ name, mime, width, height }: Named): string =>
  [
    name === undefined ? 'image' : `image ${JSON.stringify(name)}`,
    mime,
    `${width} × ${height}`,
  ].join(', ')

/** The words of a part for whoever reads words alone: of a long text head and tail, of an image what it is. */
export function partWords(part: TextPart | BlobPart | ImagePart): string {
  switch (part.type) {
    case 'text':
      return part.text
    case 'blob':
      return part.preview
    case 'image':
      return `[${imageWords(part)}]`
  }
}

/** The line in the place of an image that gave way to others. It says by which key a model may ask for it again. */
export const leftOutWords = (part: ImagePart): string =>
  `[${imageWords(part)}, key ${part.key}: left out to save room]`
