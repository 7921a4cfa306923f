// The text of a draft with the server's checks: edits run in sequence, each on the text that the previous one produced.
import { useCallback, useRef, useState } from 'react'
import { api, messageOf, send } from '../../../console/web/app/client.ts'
import type { CatalogueFile, Checked, Edit } from './values.ts'

/** The server's check of a text, `of`. */
interface CheckedText {
  of: string
  answer: Checked
}

interface Checks {
  /** Null without changes. */
  text: string | null
  checked: CheckedText | null
  failure: string | null
  type: (text: string) => void
  check: (text: string) => Promise<void>
  is_editing: boolean
  /** @returns whether the edits succeeded */
  edit: (edits: readonly Edit[]) => Promise<boolean>
  /** Waits for running edits. @returns the resulting text; null if one failed */
  settled: () => Promise<string | null>
  restart: (file: CatalogueFile) => void
}

/** @param file with the text to change @param earlier_text an earlier draft's text; null for a new draft */
export function useChecks(file: CatalogueFile, earlier_text: string | null): Checks {
  const [text, setText] = useState(earlier_text)
  const [checked, setChecked] = useState<CheckedText | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  // State updates arrive late: two fields left in quick succession would otherwise edit the same text.
  const latest = useRef(earlier_text ?? file.text ?? '')
  const turn = useRef(0)
  const restarts = useRef(0)
  const { add, allMade, is_under_way } = useSequence()

  const type = useCallback((typed: string) => {
    latest.current = typed
    setText(typed)
  }, [])

  const check = useCallback(async (draft: string) => {
    const own = ++turn.current
    try {
      const answer = await send(api.catalogue.check.post({ text: draft }))
      if (own !== turn.current) return
      setChecked({ answer, of: draft })
      setFailure(null)
    } catch (thrown) {
      if (own === turn.current) setFailure(messageOf(thrown))
    }
  }, [])

  const make = useCallback(
    async (edits: readonly Edit[]): Promise<boolean> => {
      const restart_count = restarts.current
      try {
        for (;;) {
          const from = latest.current
          const answer = await send(api.catalogue.check.post({ text: from, edits: [...edits] }))
          if (restart_count !== restarts.current) return true
          // The operator has typed in the text since: repeats the edit on the new text.
          if (from !== latest.current) continue
          turn.current++
          setChecked({ answer, of: answer.text })
          setFailure(null)
          type(answer.text)
          return true
        }
      } catch (thrown) {
        if (restart_count === restarts.current) setFailure(messageOf(thrown))
        return false
      }
    },
    [type],
  )

  const edit = useCallback((edits: readonly Edit[]) => add(() => make(edits)), [add, make])
  const settled = useCallback(async () => ((await allMade()) ? latest.current : null), [allMade])

  const restart = useCallback((from: CatalogueFile) => {
    turn.current++
    restarts.current++
    latest.current = from.text ?? ''
    setText(null)
    setChecked(null)
    setFailure(null)
  }, [])

  return { text, checked, failure, type, check, is_editing: is_under_way, edit, settled, restart }
}

const NOTHING_RUNNING = Promise.resolve(true)

/** Runs edits in sequence. `allMade` waits for running ones, and returns whether all succeeded. */
function useSequence() {
  const running = useRef(NOTHING_RUNNING)
  const [count, setCount] = useState(0)
  const add = useCallback((make: () => Promise<boolean>): Promise<boolean> => {
    const own = running.current.then(make)
    const all = Promise.all([running.current, own]).then((made) => made.every(Boolean))
    running.current = all
    setCount((before) => before + 1)
    // A later review must not fail because of an earlier failed edit.
    void all.then(() => {
      setCount((before) => before - 1)
      if (running.current === all) running.current = NOTHING_RUNNING
    })
    return own
  }, [])
  const allMade = useCallback(() => running.current, [])
  return { add, allMade, is_under_way: count > 0 }
}
