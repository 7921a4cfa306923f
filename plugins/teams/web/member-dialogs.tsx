// The dialogs that change a person's role and remove a person; both ask what happens to working keys.
import { useState } from 'react'
import { api, pathPart, send } from '../../console/web/app/client.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { ActionForm } from '../../console/web/parts/action-form.tsx'
import { Choices } from '../../console/web/parts/choices.tsx'
import { Dialog } from '../../console/web/parts/dialog.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Select } from '../../console/web/parts/select.tsx'
import { Switch } from '../../console/web/parts/switch.tsx'
import type { MemberView } from '../list.ts'
import { ROLE_NAMES, ROLES, type Role, type TeamProps } from './words.ts'

interface MemberDialogProps extends TeamProps {
  person: MemberView
  /** The people on the page, who may receive the keys. */
  people: readonly MemberView[]
  onClose: () => void
}

const CHANGES = ['team', 'keys']

export function ChangeRole({ person, people, account, onClose }: MemberDialogProps) {
  const [role, setRole] = useState<Role>(person.role)
  const keys = useKeyChoice(person, people)
  const last_owner = useLastOwner(person, people)
  const asks_keys = role === 'billing' && person.role !== 'billing' && person.keys > 0
  const change = () =>
    send(
      api.team({ person: pathPart(person.person_id) }).patch({
        ...accountOf(account),
        ...(asks_keys ? keys.values : {}),
        ...last_owner.values,
        role,
      }),
    )
  return (
    <Dialog open onClose={onClose} title={`Role of ${person.name}`}>
      <ActionForm
        label="Change role"
        work={change}
        changes={CHANGES}
        done={() => `${person.name} is now ${ROLE_NAMES[role].toLowerCase()}`}
        onClose={onClose}
        verb="Change role"
        disabled={role === person.role}
      >
        <Field label="Role" name="role">
          <Select options={ROLES} value={role} onChange={setRole} />
        </Field>
        {asks_keys && keys.fields}
        {role !== 'owner' && last_owner.field}
      </ActionForm>
    </Dialog>
  )
}

export function RemovePerson({ person, people, account, onClose }: MemberDialogProps) {
  const keys = useKeyChoice(person, people)
  const last_owner = useLastOwner(person, people)
  const remove = () =>
    send(
      api.team({ person: pathPart(person.person_id) }).remove.post({
        ...accountOf(account),
        ...(person.keys > 0 ? keys.values : {}),
        ...last_owner.values,
      }),
    )
  return (
    <Dialog open onClose={onClose} title={`Remove ${person.name}?`}>
      <ActionForm
        label="Remove"
        work={remove}
        changes={CHANGES}
        done={() => `${person.name} removed`}
        onClose={onClose}
        verb="Remove"
        look="danger"
      >
        <p>{person.name} is signed out of this account at once. Their calls and images stay.</p>
        {person.keys > 0 && keys.fields}
        {last_owner.field}
      </ActionForm>
    </Dialog>
  )
}

const accountOf = (account: TeamProps['account']) => (account ? { account: String(account.id) } : {})

const KEY_CHOICES = [
  { value: 'revoke', label: 'Revoke' },
  { value: 'hand', label: 'Hand over' },
] as const

function useKeyChoice(person: MemberView, people: readonly MemberView[]) {
  const recipients = people
    .filter(({ person_id, role }) => person_id !== person.person_id && role !== 'billing')
    .map(({ person_id, name, email }) => ({
      value: String(person_id),
      label: name,
      ...(email && { detail: email }),
    }))
  const [key_choice, setKeyChoice] = useState<(typeof KEY_CHOICES)[number]['value']>('revoke')
  const [recipient, setRecipient] = useState(recipients[0]?.value ?? '')
  const is_handed = key_choice === 'hand' && recipient !== ''
  return {
    values: is_handed ? { keys_to: Number(recipient) } : { keys: 'revoke' as const },
    fields: (
      <>
        <Field
          label={person.keys === 1 ? 'Their API key' : `Their ${person.keys} API keys`}
          name="keys"
          help={
            is_handed
              ? `They go on working. ${person.name} may still know them: rotate them soon.`
              : 'Calls with them are refused from now on.'
          }
        >
          <Choices
            label="Their API keys"
            options={recipients.length > 0 ? KEY_CHOICES : KEY_CHOICES.slice(0, 1)}
            value={key_choice}
            onChange={setKeyChoice}
          />
        </Field>
        {key_choice === 'hand' && (
          <Field label="To" name="keys_to">
            <Select options={recipients} value={recipient} onChange={setRecipient} />
          </Field>
        )}
      </>
    ),
  }
}

/** A switch for the staff, who may leave an account without an owner; a warning for others. */
function useLastOwner(person: MemberView, people: readonly MemberView[]) {
  const { side } = useViewer()
  const [agreed, setAgreed] = useState(false)
  const is_last =
    person.role === 'owner' &&
    !people.some(
      ({ person_id, role, is_disabled }) =>
        person_id !== person.person_id && role === 'owner' && !is_disabled,
    )
  if (!is_last) return { values: {}, field: null }
  if (side !== 'operator')
    return {
      values: {},
      field: <Notice tone="warn">This is the last owner. Make somebody else an owner first.</Notice>,
    }
  return {
    values: agreed ? { without_owner: true } : {},
    field: (
      <Field inline label="Leave the account without an owner" name="without_owner">
        <Switch checked={agreed} onChange={setAgreed} />
      </Field>
    ),
  }
}
