// Owns the prose of the simulator: sentences that follow from a prompt and a seed, and take up its words.
import type { Random } from './random.ts'
import { tokenize } from './tokens.ts'

type Words = readonly [string, ...string[]]

const OPENINGS: Words = [
  'In short,',
  'As for your question,',
  'To begin with,',
  'Seen closely,',
  'Most of all,',
  'In practice,',
]
const SUBJECTS: Words = [
  'the idea',
  'a careful reader',
  'the first step',
  'what matters here',
  'the usual answer',
  'a small example',
]
const VERBS: Words = [
  'depends on',
  'leads to',
  'explains',
  'rests on',
  'begins with',
  'asks for',
  'points at',
]
const LINKS: Words = [
  'and therefore',
  'because of',
  'together with',
  'rather than',
  'long before',
  'as well as',
]
const THOUGHTS: Words = [
  'I should weigh',
  'The user asks about',
  'Let me compare',
  'It helps to recall',
  'I will start from',
]
const FALLBACK: Words = ['the matter', 'the question']

/** Words worth taking up: five letters at least, of the last that was said. */
function topicsOf(prompt: string): Words {
  const [first, ...rest] = prompt.slice(-4_000).match(/\p{L}{5,}/gu) ?? []
  return first === undefined ? FALLBACK : [first, ...rest]
}

/** Prose about the prompt of at least `least_tokens` tokens, in whole sentences. */
export function writeAbout(prompt: string, least_tokens: number, random: Random): string[] {
  const topics = topicsOf(prompt)
  return write(least_tokens, () => {
    const [subject, topic, other] = [random.pick(SUBJECTS), random.pick(topics), random.pick(topics)]
    return `${random.pick(OPENINGS)} ${subject} ${random.pick(VERBS)} ${topic} ${random.pick(LINKS)} ${other}.`
  })
}

/** The same in the voice of reasoning. */
export function thinkAbout(prompt: string, least_tokens: number, random: Random): string[] {
  const topics = topicsOf(prompt)
  return write(
    least_tokens,
    () => `${random.pick(THOUGHTS)} ${random.pick(topics)} ${random.pick(LINKS)} ${random.pick(topics)}.`,
  )
}

function write(least_tokens: number, sentence: () => string): string[] {
  const tokens: string[] = []
  while (tokens.length < least_tokens) {
    tokens.push(...tokenize(tokens.length === 0 ? sentence() : ` ${sentence()}`))
  }
  return tokens
}
