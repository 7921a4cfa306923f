// Made-up prose about a prompt, its tokens, and the random numbers that it is made with.

export interface Random {
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number
  pick<T>(items: readonly [T, ...T[]]): T
}

/** The same numbers for the same seed, so that the same question gets the same answer. */
export function randomOf(seed: string): Random {
  let state = Number(BigInt.asUintN(32, BigInt(Bun.hash(seed))))
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1))
  return { between, pick: (items) => items[between(0, items.length - 1)] ?? items[0] }
}

/** No real model's tokens, but as many, and joined they are the text. */
export const tokensOf = (text: string): string[] => text.match(/\s*\S{1,6}|\s+/gu) ?? []

export const countTokens = (text: string): number => tokensOf(text).length

export const hashOf = (text: string): string => Bun.hash(text).toString(36)

/** Tokens an event of a stream. */
const TOKENS_AN_EVENT = 8

/** A text as the pieces of a stream. */
export const streamed = (tokens: readonly string[]): string[] =>
  Array.from({ length: Math.ceil(tokens.length / TOKENS_AN_EVENT) }, (_, at) =>
    tokens.slice(at * TOKENS_AN_EVENT, (at + 1) * TOKENS_AN_EVENT).join(''),
  )

type Words = readonly [string, ...string[]]

const OPENINGS: Words = ['In short,', 'To begin with,', 'Seen closely,', 'Most of all,', 'In practice,']
const SUBJECTS: Words = ['the idea', 'a careful reader', 'the first step', 'the usual answer']
const VERBS: Words = ['depends on', 'leads to', 'explains', 'rests on', 'begins with', 'points at']
const LINKS: Words = ['and therefore', 'because of', 'together with', 'rather than', 'as well as']
const TOPICS: Words = ['the matter', 'the question']

/** Whole sentences about a prompt, of at least so many tokens. */
export function writeAbout(prompt: string, min_tokens: number, { pick }: Random): string[] {
  const topics = topicsOf(prompt)
  const tokens: string[] = []
  while (tokens.length < min_tokens) {
    const [opening, subject, verb, link] = [pick(OPENINGS), pick(SUBJECTS), pick(VERBS), pick(LINKS)]
    const sentence = `${opening} ${subject} ${verb} ${pick(topics)} ${link} ${pick(topics)}.`
    tokens.push(...tokensOf(tokens.length === 0 ? sentence : ` ${sentence}`))
  }
  return tokens
}

/** The long words of a prompt's end. */
function topicsOf(prompt: string): Words {
  const [first, ...rest] = prompt.slice(-4_000).match(/\p{L}{5,}/gu) ?? []
  return first === undefined ? TOPICS : [first, ...rest]
}
