// The section of Settings with the viewer's passkeys: adding, renaming and removing.
import { useState } from 'react'
import { type AnswerOf, api, pathPart, send } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { ActionForm } from '../../console/web/parts/action-form.tsx'
import { ConfirmButton, DialogButton } from '../../console/web/parts/dialog-buttons.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { TextInput } from '../../console/web/parts/input.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { Loaded } from '../../console/web/parts/states.tsx'
import { type Column, column, endColumn, Table } from '../../console/web/parts/table.tsx'
import { ClockTime } from '../../console/web/parts/time.tsx'
import { addPasskey, hasPasskeys } from './ceremony.ts'

type Passkey = AnswerOf<typeof api.passkeys.get>['passkeys'][number]

export default function Passkeys() {
  const passkeys = useApi(['passkeys'], () => api.passkeys.get())
  const may_add = passkeys.data?.offered === true && hasPasskeys()
  return (
    <Section
      title="Passkeys"
      actions={
        may_add && (
          <DialogButton title="Add passkey" content={(close) => <AddForm close={close} />}>
            Add passkey
          </DialogButton>
        )
      }
    >
      <Loaded query={passkeys} rows={1}>
        {({ passkeys: own, offered }) =>
          own.length > 0 ? (
            <Table label="Passkeys" rows={own} columns={COLUMNS} keyOf={({ id }) => id} />
          ) : (
            <p className="soft">{!offered ? NOT_OFFERED : hasPasskeys() ? NONE : ELSEWHERE}</p>
          )
        }
      </Loaded>
    </Section>
  )
}

const NONE = 'A passkey signs you in with your fingerprint, face or PIN, and works on this site alone.'
const NOT_OFFERED = 'This gateway has no public https:// address, which passkeys need.'
const ELSEWHERE = 'Open this page at the public https:// address of the gateway to add a passkey.'

const COLUMNS: readonly Column<Passkey>[] = [
  column('name', 'Name', 'first', ({ name }) => name),
  column('created', 'Added', 'second', ({ created_at_ms }) => <ClockTime at_ms={created_at_ms} />),
  column('used', 'Last used', 'second-end', ({ last_used_at_ms }) =>
    last_used_at_ms === null ? 'never' : <ClockTime at_ms={last_used_at_ms} />,
  ),
  endColumn('change', '', 'first-end', (passkey) => (
    <>
      <DialogButton
        small
        title="Rename passkey"
        content={(close) => <RenameForm of={passkey} close={close} />}
      >
        Rename
      </DialogButton>{' '}
      <ConfirmButton
        small
        title={`Remove the passkey "${passkey.name}"?`}
        consequence="It no longer signs in here. Delete it on your device, too."
        verb="Remove passkey"
        work={() => send(api.passkeys({ id: pathPart(passkey.id) }).delete())}
        changes={['passkeys']}
        done={() => `Passkey "${passkey.name}" removed`}
      >
        Remove
      </ConfirmButton>
    </>
  )),
]

function AddForm({ close }: { close: () => void }) {
  const [name, setName] = useState('')
  return (
    <ActionForm
      label="Add passkey"
      work={() => addPasskey(name)}
      changes={['passkeys']}
      done={() => `Passkey "${name.trim()}" added`}
      onClose={close}
      verb="Add passkey"
    >
      <Field
        label="Name"
        name="name"
        help="Where it is kept, such as “laptop”. Your browser asks for the rest."
      >
        <TextInput autoComplete="off" autoFocus value={name} onChange={setName} />
      </Field>
    </ActionForm>
  )
}

function RenameForm({ of: { id, name: before }, close }: { of: Passkey; close: () => void }) {
  const [name, setName] = useState(before)
  return (
    <ActionForm
      label="Rename passkey"
      work={() => send(api.passkeys({ id: pathPart(id) }).patch({ name }))}
      changes={['passkeys']}
      done={() => 'Passkey renamed'}
      onClose={close}
      verb="Save name"
    >
      <Field label="Name" name="name">
        <TextInput autoComplete="off" autoFocus value={name} onChange={setName} />
      </Field>
    </ActionForm>
  )
}
