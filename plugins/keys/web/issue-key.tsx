// Dialog that creates a key, and then shows its text once, with sample code of a first call.
import { useState } from 'react'
import { api, send } from '../../console/web/app/client.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { ActionForm } from '../../console/web/parts/action-form.tsx'
import { Dialog, type DialogState, useResult } from '../../console/web/parts/dialog.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { useRequestKey } from '../../console/web/parts/request-key.ts'
import type { Issued } from '../console/views.ts'
import { AccountInput } from './account-input.tsx'
import { IssuedKey } from './issued-key.tsx'
import { EMPTY_DRAFT, KeyFields, optionsFor, settingsOf } from './key-fields.tsx'
import { type Holder, PersonField, useHolders } from './person-field.tsx'

interface IssueKeyProps extends DialogState {
  /** The owner of the key; if absent, the operator enters one, and other viewers create keys of their account. */
  account?: string | undefined
  /** Called with the created key; its text is shown only once. */
  onIssued?: (issued: Issued) => void
}

/** After the key is created, only its own button closes the dialog. */
export function IssueKey({ open, onClose, account, onIssued }: IssueKeyProps) {
  const [issued, setIssued, end] = useResult<Issued>(onClose)
  const title = issued ? `Key "${issued.key.name}"` : account ? `New key for ${account}` : 'New key'
  return (
    <Dialog open={open} onClose={end} title={title} wide={issued !== null} dismissable={issued === null}>
      {issued ? (
        <IssuedKey issued={issued} onDone={end} />
      ) : (
        <NewKey
          account={account}
          onIssued={(made) => {
            setIssued(made)
            onIssued?.(made)
          }}
          onCancel={end}
        />
      )}
    </Dialog>
  )
}

interface NewKeyProps {
  account: string | undefined
  onIssued: (issued: Issued) => void
  onCancel: () => void
}

function NewKey({ account, onIssued, onCancel }: NewKeyProps) {
  const { side } = useViewer()
  const [owner, setOwner] = useState(account ?? '')
  const [draft, setDraft] = useState(EMPTY_DRAFT)
  const [person, setPerson] = useState('')
  const is_chosen = side === 'operator' && account === undefined
  const holders = useHolders(owner.trim())
  // Undefined if the person was chosen before the operator entered another account.
  const holder = holders.find(({ person_id }) => String(person_id) === person)
  const { keyOf, forget } = useRequestKey()
  const issue = () => {
    const wanted = {
      ...settingsOf(draft),
      account: side === 'operator' ? owner.trim() : undefined,
      name: draft.name.trim() || undefined,
      person: holder?.person_id,
    }
    return send(api.keys.post({ ...wanted, request_key: keyOf(JSON.stringify(wanted)) }))
  }
  return (
    <ActionForm
      label="New key"
      work={issue}
      changes={['keys', 'account', 'accounts', 'start', 'team']}
      onClose={onCancel}
      onDone={(issued) => {
        forget()
        onIssued(issued)
      }}
      verb="Create key"
      command={
        side === 'operator' &&
        `tollgate key create ${owner.trim() || 'ACCOUNT'}${personOption(holder)}${optionsFor(draft)}`
      }
    >
      {is_chosen && (
        <Field label="Account" name="account" help="Pays for the calls of the key.">
          <AccountInput value={owner} onChange={setOwner} />
        </Field>
      )}
      <KeyFields folded draft={draft} onChange={setDraft}>
        {holders.length > 0 && (
          <PersonField
            holders={holders}
            value={holder ? String(holder.person_id) : ''}
            onChange={setPerson}
          />
        )}
      </KeyFields>
    </ActionForm>
  )
}

const personOption = (holder: Holder | undefined): string =>
  holder ? ` --person ${holder.email ?? holder.person_id}` : ''
