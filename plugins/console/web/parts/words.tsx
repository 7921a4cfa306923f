// Inline text: a sentence of the server with code between backticks, and a list with commas.
import { Fragment } from 'react'

interface WordsProps {
  children: string
}

export function Words({ children }: WordsProps) {
  const parts = children.split('`')
  // An odd number of backticks is not markup, but part of the sentence.
  if (parts.length % 2 === 0) return children
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence keep their places
  return parts.map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))
}

/** "acme, anthropic": line breaks only between the words. */
export const CommaList = ({ words }: { words: readonly string[] }) =>
  words.map((word, at) => (
    <Fragment key={word}>
      {at > 0 && ', '}
      <span className="no-wrap">{word}</span>
    </Fragment>
  ))
