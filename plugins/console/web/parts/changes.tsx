// A form over values that others may change, too: it sends the changed fields only, and shows both values where somebody was faster.
import { useState } from 'react'
import { ApiError } from '../app/client.ts'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

interface ChangesOptions<Source, Draft> {
  /** The values with which the form opens. */
  source: Source
  /** Its fields: texts and switches. */
  draftOf: (source: Source) => Draft
  /** Reads the source again. */
  reread: () => Promise<Source>
  /** Saves the named fields of a draft. @param read what they were read from, which goes along as `was` */
  save: (names: readonly (keyof Draft)[], draft: Draft, read: Source) => Promise<unknown>
}

/** The values of the fields that somebody else changed. */
interface Conflict<Draft> {
  names: readonly (keyof Draft)[]
  was: Draft
  is: Draft
}

export interface Changes<Draft> {
  draft: Draft
  setDraft: (draft: Draft) => void
  /** The fields that differ from what was read. */
  names: readonly (keyof Draft)[]
  /** Null: nobody else changed them. */
  conflict: Conflict<Draft> | null
  /** Saves. @returns whether the form is done; if not, there is a conflict */
  submit: () => Promise<boolean>
  /** Gives up the own values of the fields in conflict. */
  keepTheirs: () => void
  /** Gives up all own values. */
  discard: () => void
}

/** The state of such a form, from the values with which it opens to a save or a conflict. */
export function useChanges<Source, Draft extends object>({
  source,
  draftOf,
  reread,
  save,
}: ChangesOptions<Source, Draft>): Changes<Draft> {
  const [read, setRead] = useState(source)
  const [draft, setDraft] = useState(() => draftOf(source))
  const [conflict, setConflict] = useState<Conflict<Draft> | null>(null)
  const was = draftOf(read)
  const names = (Object.keys(was) as (keyof Draft)[]).filter((name) => draft[name] !== was[name])

  async function submit(): Promise<boolean> {
    if (names.length === 0) return true
    setConflict(null)
    try {
      await save(names, draft, read)
      return true
    } catch (thrown) {
      if (!(thrown instanceof ApiError) || thrown.code !== 'changed_meanwhile') throw thrown
      const now = await reread()
      const is = draftOf(now)
      // A time of another hour stands under the same day.
      const clashing = names.filter((name) => is[name] !== was[name] || name === thrown.param)
      setRead(now)
      setDraft({ ...is, ...only(draft, names) })
      setConflict({ names: clashing, was, is })
      return false
    }
  }
  function keepTheirs(): void {
    if (conflict) setDraft({ ...draft, ...only(conflict.is, conflict.names) })
    setConflict(null)
  }
  function discard(): void {
    setDraft(was)
    setConflict(null)
  }
  return { draft, setDraft, names, conflict, submit, keepTheirs, discard }
}

/** The named fields of an object. */
export const only = <T extends object>(of: T, names: readonly PropertyKey[]): Partial<T> =>
  Object.fromEntries(Object.entries(of).filter(([name]) => names.includes(name))) as Partial<T>

interface ConflictNoticeProps<Draft> {
  of: Changes<Draft>
  labels: Readonly<Record<keyof Draft, string>>
}

/** Both values of each field, and the choice between them. */
export function ConflictNotice<Draft>({
  of: { conflict, draft, keepTheirs },
  labels,
}: ConflictNoticeProps<Draft>) {
  if (!conflict) return null
  const { names, was, is } = conflict
  return (
    <Notice tone="warn" alert>
      <div className="stack">
        <p>Not saved: somebody else changed this while the form was open.</p>
        <ul>
          {names.map((name) => (
            <li key={String(name)}>
              {labels[name]}: was {inWords(was[name])}, is now <b>{inWords(is[name])}</b>; your value is{' '}
              <b>{inWords(draft[name])}</b>.
            </li>
          ))}
        </ul>
        <p>Save again to replace it with your value, or keep the current one.</p>
        <div>
          <Button small onClick={keepTheirs}>
            Keep current value
          </Button>
        </div>
      </div>
    </Notice>
  )
}

function inWords(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return value === '' ? 'not set' : `“${String(value)}”`
}
