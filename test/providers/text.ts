// Simulated prose: sentences that follow from a prompt and a seed, and use the prompt's words.
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

/** Words of the prompt's end to use: those with at least five letters. */
function topicsOf(prompt: string): Words {
  const [first, ...rest] = prompt.slice(-4_000).match(/\p{L}{5,}/gu) ?? []
  return first === undefined ? FALLBACK : [first, ...rest]
}

/** Whole sentences about the prompt, with at least `min_tokens` tokens. */
export function writeAbout(prompt: string, min_tokens: number, random: Random): string[] {
  const topics = topicsOf(prompt)
  return write(min_tokens, () => {
    const [subject, topic, other] = [random.pick(SUBJECTS), random.pick(topics), random.pick(topics)]
    return `${random.pick(OPENINGS)} ${subject} ${random.pick(VERBS)} ${topic} ${random.pick(LINKS)} ${other}.`
  })
}

/** The same in the voice of reasoning. */
export function thinkAbout(prompt: string, min_tokens: number, random: Random): string[] {
  const topics = topicsOf(prompt)
  return write(
    min_tokens,
    () => `${random.pick(THOUGHTS)} ${random.pick(topics)} ${random.pick(LINKS)} ${random.pick(topics)}.`,
  )
}

function write(min_tokens: number, sentence: () => string): string[] {
  const tokens: string[] = []
  while (tokens.length < min_tokens) {
    tokens.push(...tokenize(tokens.length === 0 ? sentence() : ` ${sentence()}`))
  }
  return tokens
}
