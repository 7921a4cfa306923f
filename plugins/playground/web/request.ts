// State of a request, for text and images: models, parameters, the question with pictures, and earlier turns.

import { readFromTab, writeToTab } from '../../console/web/app/browser-storage.ts'
import type { AnswerOf, api } from '../../console/web/app/client.ts'

export type Play = AnswerOf<typeof api.play.get>
export type Payer = NonNullable<Play['payer']>
export type TextModel = Play['text_models'][number]
export type ImageModel = Play['image_models'][number]
/** A request field that a model may accept. */
export type Parameter = TextModel['parameters'][number] | 'size' | 'quality' | 'n'

/** A picture sent with a request: a generated image by its id, or an uploaded file by its key. */
export interface Reference {
  is: 'image' | 'file'
  id: string
  label: string
}

export interface Answer {
  text: string
  /** Reasoning that the model published. */
  thinking: string
  images: readonly string[]
  state: 'running' | 'done' | 'stopped' | 'failed'
  failure?: string
  /** The id of the call, after it has started. */
  request_id?: string
  /** The charge in USD, if the response has it. */
  cost?: string
  started_ms: number
}

export interface Question {
  question: string
  pictures: readonly Reference[]
}

/** A request to one model, or to two side by side. */
export interface PlayRequest extends Question {
  models: readonly string[]
  /** As typed; empty: the model's default. */
  parameters: Readonly<Partial<Record<Parameter, string>>>
}

export interface Turn extends PlayRequest {
  id: string
  answers: readonly (Answer | null)[]
}

export interface Draft extends PlayRequest {
  system: string
  turns: readonly Turn[]
}

const EMPTY: Draft = { models: [], system: '', parameters: {}, question: '', pictures: [], turns: [] }

type Change =
  | { type: 'set'; some: Partial<Draft> }
  /** @param after further changes of the draft */
  | { type: 'turn_added'; turn: Turn; after: Partial<Draft> }
  | { type: 'answer_changed'; turn: string; side: number; some: Partial<Answer> }

export function changed(draft: Draft, change: Change): Draft {
  if (change.type === 'set') return { ...draft, ...change.some }
  if (change.type === 'turn_added') return { ...draft, ...change.after, turns: [...draft.turns, change.turn] }
  const { turn: id, side, some } = change
  const update = (answer: Answer | null, at: number) =>
    at === side && answer ? { ...answer, ...some } : answer
  return {
    ...draft,
    turns: draft.turns.map((turn) =>
      turn.id === id ? { ...turn, answers: turn.answers.map(update) } : turn,
    ),
  }
}

export interface Message {
  role: 'system' | 'user' | 'assistant'
  content: string
  pictures?: readonly Reference[]
}

/** The conversation as one of the models sees it: its own answers only. @param next follows the conversation */
export function messagesOf({ system, turns }: Draft, side: number, next?: Question): Message[] {
  const before = turns.flatMap((turn): Message[] => {
    const answer = turn.answers[side]
    // A question without an answer is left out, because two questions in a row would follow.
    if (!answer || answer.text === '') return []
    return [userMessage(turn), { role: 'assistant', content: answer.text }]
  })
  return [
    ...(system.trim() === '' ? [] : [{ role: 'system', content: system } as const]),
    ...before,
    ...(next ? [userMessage(next)] : []),
  ]
}

const userMessage = ({ question, pictures = [] }: Question): Message => ({
  role: 'user',
  content: question,
  pictures: pictures.length === 0 ? undefined : pictures,
})

const WORDS: readonly Parameter[] = ['reasoning_effort', 'size', 'quality']

/** Returns the parameters of the request: those that are set and that the model accepts. */
export function fieldsOf(
  parameters: Draft['parameters'],
  taken: readonly Parameter[],
): Record<string, number | string | string[]> {
  const fields: Record<string, number | string | string[]> = {}
  for (const name of taken) {
    const typed = parameters[name]?.trim()
    if (!typed) continue
    if (WORDS.includes(name)) fields[name] = typed
    else if (name === 'stop') fields[name] = typed.split('\n').filter((line) => line !== '')
    // Invalid numbers are sent unchanged, so that the server's error is shown.
    else fields[name] = Number.isNaN(Number(typed)) ? typed : Number(typed)
  }
  return fields
}

const KEPT = 'tollgate-playground'
/** A larger conversation is not stored, and lost at a reload. */
const MAX_KEPT_CHARS = 500_000

interface Kept {
  /** The viewer, because another one may sign in in the same tab. */
  owner: string
  draft: Draft
}

/** Reads the viewer's draft in this tab. A stream that a reload interrupted counts as stopped. @param owner null: no draft is stored */
export function keptDraft(owner: string | null): Draft {
  const kept = owner === null ? undefined : readKept(readFromTab(KEPT))
  if (kept?.owner !== owner) return EMPTY
  const stopped = (answer: Answer | null) =>
    answer && answer.state !== 'done' && answer.state !== 'failed'
      ? { ...answer, state: 'stopped' as const }
      : answer
  // A draft of an older version may lack fields.
  const turns = kept.draft.turns.map((turn) => ({
    ...{ pictures: [] },
    ...turn,
    answers: turn.answers.map(stopped),
  }))
  return { ...EMPTY, ...kept.draft, turns }
}

function readKept(text: string | null): Kept | undefined {
  if (text === null) return undefined
  const kept: Partial<Kept> = JSON.parse(text)
  return kept.owner !== undefined && Array.isArray(kept.draft?.turns) ? (kept as Kept) : undefined
}

export function keepDraft(owner: string, draft: Draft): void {
  const text = JSON.stringify({ owner, draft } satisfies Kept)
  if (text.length <= MAX_KEPT_CHARS) writeToTab(KEPT, text)
}
