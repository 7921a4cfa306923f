// The state of the text playground: models, instructions, conversation and typed message; kept while the tab is open.
import { keepInTab, keptInTab } from '../../console/web/app/kept.ts'
import type { Parameter } from './models.ts'
import type { Reference } from './reference.ts'

/** The answer of one model to one question. */
export interface Answer {
  text: string
  /** Reasoning that the model published. */
  thinking: string
  state: 'streaming' | 'done' | 'stopped' | 'failed'
  /** Why it failed, in the server's words. */
  failure?: string
  /** Of the call, once it has started. */
  request_id?: string
  /** An estimate, of the conversation up to this question. */
  prompt_tokens: number
  started_ms: number
  ended_ms?: number
}

/** A question, and the answer of each model to it. */
export interface Turn {
  id: string
  question: string
  /** Sent along with it. */
  pictures?: readonly Reference[]
  answers: readonly (Answer | null)[]
}

export interface Draft {
  /** One model, or two side by side. */
  models: readonly string[]
  system: string
  /** As typed; empty: the model's default. */
  parameters: Readonly<Partial<Record<Parameter, string>>>
  question: string
  /** To be sent along with it. */
  pictures: readonly Reference[]
  turns: readonly Turn[]
}

export const EMPTY: Draft = {
  models: [],
  system: '',
  parameters: {},
  question: '',
  pictures: [],
  turns: [],
}

export type Change =
  | { type: 'set'; some: Partial<Draft> }
  | { type: 'turn_added'; turn: Turn }
  | { type: 'answer_changed'; turn: string; side: number; some: Partial<Answer> }

export function changed(draft: Draft, change: Change): Draft {
  if (change.type === 'set') return { ...draft, ...change.some }
  if (change.type === 'turn_added')
    return { ...draft, question: '', pictures: [], turns: [...draft.turns, change.turn] }
  const { turn: id, side, some } = change
  return {
    ...draft,
    turns: draft.turns.map((turn) =>
      turn.id === id
        ? {
            ...turn,
            answers: turn.answers.map((answer, at) =>
              at === side && answer ? { ...answer, ...some } : answer,
            ),
          }
        : turn,
    ),
  }
}

export interface Message {
  role: 'system' | 'user' | 'assistant'
  content: string
  /** Before its text. */
  pictures?: readonly Reference[]
}

/** A message before it is sent. */
export type NextMessage = Pick<Draft, 'question' | 'pictures'>

/** The conversation as one of the models sees it: its own answers only. @param next follows the conversation */
export function messagesOf({ system, turns }: Draft, side: number, next?: NextMessage): Message[] {
  const before = turns.flatMap((turn): Message[] => {
    const answer = turn.answers[side]
    // Without the question of a failed answer: two questions would follow each other.
    if (!answer || answer.text === '') return []
    return [userMessage(turn), { role: 'assistant', content: answer.text }]
  })
  return [
    ...(system.trim() === '' ? [] : [{ role: 'system', content: system } as const]),
    ...before,
    ...(next ? [userMessage(next)] : []),
  ]
}

const userMessage = ({ question, pictures = [] }: Pick<Turn, 'question' | 'pictures'>): Message => ({
  role: 'user',
  content: question,
  pictures: pictures.length === 0 ? undefined : pictures,
})

/** Parameters as a request has them: those that are set, and that the model takes. */
export function fieldsOf(
  parameters: Draft['parameters'],
  taken: readonly Parameter[],
): Record<string, number | string | string[]> {
  const fields: Record<string, number | string | string[]> = {}
  for (const name of taken) {
    const typed = parameters[name]?.trim()
    if (!typed) continue
    if (name === 'reasoning_effort') fields[name] = typed
    else if (name === 'stop') fields[name] = typed.split('\n').filter((line) => line !== '')
    // Text that is no number is sent unchanged: the server's error says what it must be.
    else fields[name] = Number.isNaN(Number(typed)) ? typed : Number(typed)
  }
  return fields
}

const KEPT = 'tollgate-playground'

interface Kept {
  /** The viewer: another one may sign in in the same tab. */
  owner: string
  draft: Draft
}
/** A larger conversation is lost with its page. */
const MAX_KEPT_CHARS = 500_000

/** The viewer's draft in this tab. A stream that a reload cut off counts as stopped. */
export function keptDraft(owner: string): Draft {
  const kept = readKept(keptInTab(KEPT))
  if (kept?.owner !== owner) return EMPTY
  const turns = kept.draft.turns.map((turn) => ({
    ...turn,
    answers: turn.answers.map((answer) =>
      answer?.state === 'streaming' ? { ...answer, state: 'stopped' as const } : answer,
    ),
  }))
  return { ...EMPTY, ...kept.draft, turns }
}

function readKept(text: string | null): Kept | undefined {
  if (text === null) return undefined
  const kept: Partial<Kept> = JSON.parse(text)
  // A draft of an older version may lack fields.
  return kept.owner !== undefined && Array.isArray(kept.draft?.turns) ? (kept as Kept) : undefined
}

export function keepDraft(owner: string, draft: Draft): void {
  const text = JSON.stringify({ owner, draft } satisfies Kept)
  if (text.length <= MAX_KEPT_CHARS) keepInTab(KEPT, text)
}
