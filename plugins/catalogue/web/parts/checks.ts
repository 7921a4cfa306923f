// The text of a draft and the server's checks of it: changes are made one after the other, each in the text that the one before has left.
import { useCallback, useRef, useState } from 'react'
import { api, messageOf, send } from '../../../console/web/app/client.ts'
import type { CatalogueFile, Checked, Edit } from './values.ts'

/** The server's check of a text. */
interface CheckedText {
  of: string
  answer: Checked
}

interface Checks {
  /** Null while nothing is changed. */
  text: string | null
  checked: CheckedText | null
  /** Why a change could not be made, or a text not be checked. */
  failure: string | null
  type: (text: string) => void
  check: (text: string) => Promise<void>
  /** Changes are being made. */
  is_editing: boolean
  /** @returns whether they could be made */
  edit: (edits: readonly Edit[]) => Promise<boolean>
  /** Waits for the changes under way. @returns the text that they leave; null if one could not be made */
  settled: () => Promise<string | null>
  /** Forgets the text, and the changes that are under way. */
  restart: (file: CatalogueFile) => void
}

/** @param file with the text to change @param began an earlier draft; null for a new one */
export function useChecks(file: CatalogueFile, began: string | null): Checks {
  const [text, setText] = useState(began)
  const [checked, setChecked] = useState<CheckedText | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  // The visible text lags behind: two fields that are left one right after the other must not change the same text.
  const latest = useRef(began ?? file.text ?? '')
  const turn = useRef(0)
  const restarts = useRef(0)
  const { add, allMade, is_under_way } = useInOrder()

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
      const began = restarts.current
      try {
        for (;;) {
          const from = latest.current
          const answer = await send(api.catalogue.check.post({ text: from, edits: [...edits] }))
          if (began !== restarts.current) return true
          // Somebody typed in the text meanwhile: the change is made in that.
          if (from !== latest.current) continue
          turn.current++
          setChecked({ answer, of: answer.text })
          setFailure(null)
          type(answer.text)
          return true
        }
      } catch (thrown) {
        if (began === restarts.current) setFailure(messageOf(thrown))
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

const NOTHING_UNDER_WAY = Promise.resolve(true)

/** Changes one after the other. `allMade` waits for those under way, and says whether each could be made. */
function useInOrder() {
  const under_way = useRef(NOTHING_UNDER_WAY)
  const [count, setCount] = useState(0)
  const add = useCallback((make: () => Promise<boolean>): Promise<boolean> => {
    const own = under_way.current.then(make)
    const all = Promise.all([under_way.current, own]).then((made) => made.every(Boolean))
    under_way.current = all
    setCount((before) => before + 1)
    // A change that failed long ago holds up no review.
    void all.then(() => {
      setCount((before) => before - 1)
      if (under_way.current === all) under_way.current = NOTHING_UNDER_WAY
    })
    return own
  }, [])
  const allMade = useCallback(() => under_way.current, [])
  return { add, allMade, is_under_way: count > 0 }
}
