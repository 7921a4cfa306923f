// State of a form over shared values: it sends the changed fields only, and shows both values if another user changed them meanwhile.
import { type ReactNode, useState } from 'react'
import { ApiError } from '../app/client.ts'
import { Button } from './button.tsx'
import { AsCommand } from './code.tsx'
import { Form, SubmitOrCancel } from './form.tsx'
import { Notice } from './notice.tsx'

interface ChangesOptions<Source, Draft> {
  /** The values at the time when the form opens. */
  source: Source
  /** Converts the values to the form's fields: texts and switches. */
  draftOf: (source: Source) => Draft
  reread: () => Promise<Source>
  /** Saves the named fields of a draft. @param read the values that the form was opened with, sent as `was` */
  save: (names: readonly (keyof Draft)[], draft: Draft, read: Source) => Promise<unknown>
}

/** The fields that another user changed: their values before and after. */
interface Conflict<Draft> {
  names: readonly (keyof Draft)[]
  was: Draft
  is: Draft
}

export interface Changes<Draft> {
  draft: Draft
  setDraft: (draft: Draft) => void
  names: readonly (keyof Draft)[]
  /** Null if no other user changed them. */
  conflict: Conflict<Draft> | null
  /** Saves the changed fields. @returns false if there is a conflict */
  submit: () => Promise<boolean>
  /** Replaces the draft's values of the fields in conflict by the current ones. */
  keepTheirs: () => void
  discard: () => void
}

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
      // The server's `param` too: a field that shows a day does not differ if only the hour was changed.
      const clashing = names.filter((name) => is[name] !== was[name] || name === thrown.param)
      setRead(now)
      setDraft({ ...is, ...pickFields(draft, names) })
      setConflict({ names: clashing, was, is })
      return false
    }
  }
  function keepTheirs(): void {
    if (conflict) setDraft({ ...draft, ...pickFields(conflict.is, conflict.names) })
    setConflict(null)
  }
  function discard(): void {
    setDraft(was)
    setConflict(null)
  }
  return { draft, setDraft, names, conflict, submit, keepTheirs, discard }
}

export const pickFields = <T extends object>(of: T, names: readonly PropertyKey[]): Partial<T> =>
  Object.fromEntries(Object.entries(of).filter(([name]) => names.includes(name))) as Partial<T>

interface ConflictNoticeProps<Draft> {
  of: Changes<Draft>
  labels: Readonly<Record<keyof Draft, string>>
}

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

interface EditFormProps<Draft> extends ConflictNoticeProps<Draft> {
  /** The form's name, for screen readers. */
  label: string
  verb?: string | undefined
  /** The changes as a command. */
  command: string | false
  onClose: () => void
  children: ReactNode
}

/** Form of a dialog that saves changes, and closes it. */
export function EditForm<Draft>(props: EditFormProps<Draft>) {
  const { of: changes, labels, label, verb = 'Save changes', command, onClose, children } = props
  const is_changed = changes.names.length > 0
  async function save(): Promise<void> {
    if (await changes.submit()) onClose()
  }
  return (
    <Form submit={save} aria-label={label}>
      <ConflictNotice of={changes} labels={labels} />
      {children}
      <SubmitOrCancel onCancel={onClose} disabled={!is_changed}>
        {verb}
      </SubmitOrCancel>
      {is_changed && command && <AsCommand command={command} />}
    </Form>
  )
}
