/**
 * The words of a user that are the user's own: without what a message quotes or pastes. A page of the web that somebody pastes says nothing about
 * whoever pasted it, and may say anything.
 *
 * O1 What is fenced, quoted by marks, written in tags, or long enough to be a document is left out, and so is what stands in quotation marks over
 *    more than a few words.
 * O2 The work is bounded: of a long message its beginning and its end are looked at.
 */
import { limits } from '../limits.ts'
import { textHead, textTail } from '../text/clip.ts'

/** A paragraph that is longer is a document, and no remark. */
const paragraphCharsMax = 1200
/** Words in quotation marks that are a name or a term. */
const quotedWordsMax = 6

/** The words of a message that its user did not quote or paste. */
export function ownWords(message: string): string {
  const most = limits.learnWordCharsMax * 4
  const seen =
    message.length <= most
      ? message
      : `${textHead(message, most / 2)}\n\n${textTail(message, most / 2)}`
  return withoutTagged(withoutFenced(seen))
    .split(/\n{2,}/)
    .map(withoutQuotedLines)
    .filter((paragraph) => paragraph.length <= paragraphCharsMax && !isPage(paragraph))
    .join('\n\n')
    .replaceAll(quotes, (quoted, ...inner) =>
      wordCount(inner.find((each) => typeof each === 'string' && each !== '') ?? quoted) <=
      quotedWordsMax
        ? quoted
        : ' ',
    )
    .trim()
}

const quotes = /"([^"\n]{1,2000})"|“([^”\n]{1,2000})”|„([^“”\n]{1,2000})[“”]|«([^»\n]{1,2000})»/g

const wordCount = (text: unknown): number =>
  typeof text === 'string' ? text.split(/\s+/).filter(Boolean).length : 0

const withoutFenced = (text: string): string =>
  text.replaceAll(/^[ \t]*(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^[ \t]*\1[^\n]*$|$(?![\s\S]))/gm, '\n\n')

/** A block of tags, with what is in it, and tags that stand alone. */
const withoutTagged = (text: string): string =>
  text
    .replaceAll(/<([a-zA-Z][\w-]*)\b[^>\n]*>[\s\S]*?<\/\1\s*>/g, ' ')
    .replaceAll(/<\/?[a-zA-Z][^>\n]*>/g, ' ')

const withoutQuotedLines = (paragraph: string): string =>
  paragraph
    .split('\n')
    .filter((line) => !/^\s*(?:>|\|)/.test(line))
    .join('\n')

/** Is it a piece of a page: under an address, or introduced as one? */
const isPage = (paragraph: string): boolean =>
  /^\s*(?:https?:\/\/|www\.|url:|source:|from:|subject:|quelle:)/i.test(paragraph)
