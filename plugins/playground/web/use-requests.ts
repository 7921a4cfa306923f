// Requests of a playground page: a draft, and simultaneous calls of one model or two, which are stopped together.
import { useCallback, useEffect, useReducer, useRef } from 'react'
import { messageOf } from '../../console/web/app/client.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { useAddressState } from '../../console/web/parts/address-state.ts'
import { type Answer, changed, type Draft, keepDraft, keptDraft, type Question } from './request.ts'
import type { OnProgress } from './send.ts'

/** One call: the draft without its question, and the question. */
interface Run<Model> {
  draft: Draft
  side: number
  model: Model
  next: Question
  signal: AbortSignal
  onProgress: OnProgress
}

interface RequestOptions<Model> {
  models: readonly Model[]
  /** Whether the tab stores the draft for a reload. */
  is_kept: boolean
  run: (run: Run<Model>) => Promise<void>
  /** Called when a call has ended, which changes the account's balance. */
  onCharged: () => void
}

/** The interval of updates, because pieces of an answer arrive more often than the page needs to show them. */
const SHOW_EVERY_MS = 50

export function useRequests<Model extends { id: string }>(options: RequestOptions<Model>) {
  const { models, is_kept, run, onCharged } = options
  const { side, account: own } = useViewer()
  const owner = is_kept ? `${side} ${own ?? ''}` : null
  const [draft, dispatch] = useReducer(changed, owner, keptDraft)
  const running = useRef(new Set<AbortController>())
  const set = useCallback((some: Partial<Draft>) => dispatch({ type: 'set', some }), [])

  // Immediately, because the viewer may reload the page between two pieces of an answer.
  useEffect(() => {
    if (owner !== null) keepDraft(owner, draft)
  }, [owner, draft])
  const stop = useCallback(() => {
    for (const controller of running.current) controller.abort()
  }, [])
  // Leaving the page stops its conversation; images are generated to their end.
  useEffect(() => (is_kept ? stop : undefined), [is_kept, stop])
  useEffect(() => {
    // On the first visit, or after the model was removed, the first one of the catalogue is chosen.
    const known = draft.models.filter((id) => models.some((model) => model.id === id))
    const first = models.slice(0, 1).map(({ id }) => id)
    if (known.length !== draft.models.length || known.length === 0)
      set({ models: known.length > 0 ? known : first })
  }, [draft.models, models, set])

  // The button "Try" on a model's page leads here with the model.
  const [{ model: chosen }] = useAddressState({ model: '' })
  useEffect(() => {
    if (models.some(({ id }) => id === chosen)) set({ models: [chosen] })
  }, [chosen, models, set])

  async function call(turn: string, of: Omit<Run<Model>, 'signal' | 'onProgress'>): Promise<void> {
    const controller = new AbortController()
    const { signal } = controller
    running.current.add(controller)
    const progress = joined((some) => dispatch({ type: 'answer_changed', turn, side: of.side, some }))
    try {
      await run({ ...of, signal, onProgress: progress.add })
      progress.end({ state: 'done' })
    } catch (thrown) {
      progress.end(signal.aborted ? { state: 'stopped' } : { state: 'failed', failure: messageOf(thrown) })
    } finally {
      running.current.delete(controller)
      onCharged()
    }
  }

  /** Sends the typed question to all models. @param after changes of the draft once it is sent */
  function send(after: Partial<Draft>): void {
    const next = { question: draft.question.trim(), pictures: draft.pictures }
    if (next.question === '') return
    const chosen = draft.models.map((id) => models.find((model) => model.id === id) ?? null)
    const id = crypto.getRandomValues(new Uint32Array(2)).join('-')
    const answers = chosen.map((model) => model && newAnswer())
    dispatch({
      type: 'turn_added',
      turn: { id, ...next, models: draft.models, parameters: draft.parameters, answers },
      after,
    })
    for (const [side, model] of chosen.entries()) if (model) void call(id, { draft, side, model, next })
  }
  const is_running = draft.turns.at(-1)?.answers.some((answer) => answer?.state === 'running') ?? false
  return { draft, set, send, stop, is_running }
}

const newAnswer = (): Answer => ({
  text: '',
  thinking: '',
  images: [],
  state: 'running',
  started_ms: Date.now(),
})

/** Joins changes, and reports them at intervals; the last ones immediately. */
function joined(report: OnProgress) {
  let waiting: Partial<Answer> = {}
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = (): void => {
    timer = undefined
    report(waiting)
  }
  return {
    add(some: Partial<Answer>): void {
      waiting = { ...waiting, ...some }
      timer ??= setTimeout(flush, SHOW_EVERY_MS)
    },
    end(some: Partial<Answer>): void {
      clearTimeout(timer)
      report({ ...waiting, ...some })
    },
  }
}
