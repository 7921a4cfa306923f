// Dialogs of a key: change, rotate, revoke.
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api, pathPart, send } from '../../console/web/app/client.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { useAction } from '../../console/web/parts/action.ts'
import { ActionForm } from '../../console/web/parts/action-form.tsx'
import { EditForm, pickFields, useChanges } from '../../console/web/parts/changes.tsx'
import { AsCommand } from '../../console/web/parts/code.tsx'
import { ConfirmDialog, Dialog, type DialogState, useResult } from '../../console/web/parts/dialog.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { keyPrefix } from '../../console/web/parts/key-prefix.ts'
import { useRequestKey } from '../../console/web/parts/request-key.ts'
import { Select } from '../../console/web/parts/select.tsx'
import type { Issued, KeyChanges, KeyView } from '../console/views.ts'
import { IssuedKey } from './issued-key.tsx'
import { draftOf, KEY_LABELS, KeyFields, optionsForChanges, settingsOf, writtenOf } from './key-fields.tsx'

interface KeyDialogProps extends DialogState {
  of: KeyView
}

const CHANGES = ['keys', 'key', 'account', 'accounts']

export function ChangeDialog({ of: key, open, onClose }: KeyDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title={`Edit key "${key.name}"`}>
      <Change of={key} onClose={onClose} />
    </Dialog>
  )
}

function Change({ of: key, onClose }: Omit<KeyDialogProps, 'open'>) {
  const { runOrThrow } = useAction({
    work: ({ body }: { body: KeyChanges; name: string }) =>
      send(api.keys({ id: pathPart(key.id) }).patch(body)),
    changes: CHANGES,
    done: ({ name }) => ({ text: `Key "${name}" updated` }),
  })
  const changes = useChanges({
    source: key,
    draftOf,
    reread: () => send(api.keys({ id: pathPart(key.id) }).get()),
    save: (names, draft, read) =>
      runOrThrow({
        body: { ...pickFields(settingsOf(draft), names), was: pickFields(writtenOf(read), names) },
        name: draft.name.trim(),
      }),
  })
  const { draft, setDraft, names } = changes
  const { side } = useViewer()
  return (
    <EditForm
      label="Change key"
      of={changes}
      labels={KEY_LABELS}
      command={side === 'operator' && `tollgate key change ${key.prefix}${optionsForChanges(draft, names)}`}
      onClose={onClose}
    >
      <KeyFields draft={draft} onChange={setDraft} />
    </EditForm>
  )
}

const GRACES = [
  { value: '0', label: 'At once', option: '' },
  { value: '3600', label: 'In an hour', option: ' --grace 1h' },
  { value: '86400', label: 'In a day', option: ' --grace 1d' },
  { value: '604800', label: 'In a week', option: ' --grace 1w' },
] as const

/** Rotates the key, and then opens the page of the new key. */
export function RotateDialog({ of: key, open, onClose }: KeyDialogProps) {
  const [, go] = useLocation()
  const [issued, setIssued, end] = useResult<Issued>(() => {
    onClose()
    if (issued) go(`/keys/${issued.key.id}`)
  })
  return (
    <Dialog
      open={open}
      onClose={end}
      title={issued ? `New key "${key.name}"` : `Rotate key "${key.name}"`}
      wide={issued !== null}
      dismissable={issued === null}
    >
      {issued ? (
        <IssuedKey issued={issued} onDone={end} />
      ) : (
        <Rotate of={key} onIssued={setIssued} onCancel={end} />
      )}
    </Dialog>
  )
}

interface RotateProps {
  of: KeyView
  onIssued: (issued: Issued) => void
  onCancel: () => void
}

function Rotate({ of: key, onIssued, onCancel }: RotateProps) {
  const [grace, setGrace] = useState<(typeof GRACES)[number]['value']>('86400')
  const option = GRACES.find(({ value }) => value === grace)?.option ?? ''
  const { keyOf } = useRequestKey()
  const { side } = useViewer()
  const rotate = () => {
    const body = { grace_s: Number(grace), request_key: keyOf(grace) }
    return send(api.keys({ id: pathPart(key.id) }).rotate.post(body))
  }
  return (
    <ActionForm
      label="Rotate key"
      work={rotate}
      changes={CHANGES}
      onClose={onCancel}
      onDone={onIssued}
      verb="Create new key"
      command={side === 'operator' && `tollgate key rotate ${key.prefix}${option}`}
    >
      <p>
        The new key has the same name and limits. Replace the old key wherever it is used before it expires.
      </p>
      <Field label="Old key expires" name="grace_s">
        <Select options={GRACES} value={grace} onChange={setGrace} />
      </Field>
    </ActionForm>
  )
}

export function RevokeDialog({ of: key, open, onClose }: KeyDialogProps) {
  const { runOrThrow } = useAction({
    work: () => send(api.keys({ id: pathPart(key.id) }).revoke.post()),
    changes: CHANGES,
    done: () => ({ text: `Key "${key.name}" revoked` }),
  })
  const { side } = useViewer()
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={`Revoke key "${key.name}"?`}
      consequence={
        <div className="stack">
          <p>
            Calls with {keyPrefix(key.prefix)} are refused from now on, and its sessions end. Running calls
            finish and are charged. This cannot be undone.
          </p>
          {side === 'operator' && <AsCommand command={`tollgate key revoke ${key.prefix}`} />}
        </div>
      }
      verb="Revoke key"
      confirm={() => runOrThrow(undefined)}
    />
  )
}
