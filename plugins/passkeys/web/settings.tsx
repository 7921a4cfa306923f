// The section of Settings with the viewer's passkeys: adding, renaming and removing.
import { useState } from 'react'
import { type AnswerOf, api, pathPart, send } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useAction } from '../../console/web/parts/action.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { ConfirmDialog, Dialog } from '../../console/web/parts/dialog.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { Form, SubmitOrCancel } from '../../console/web/parts/form.tsx'
import { TextInput } from '../../console/web/parts/input.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { Loaded } from '../../console/web/parts/states.tsx'
import { type Column, column, endColumn, Table } from '../../console/web/parts/table.tsx'
import { ClockTime } from '../../console/web/parts/time.tsx'
import { addPasskey, hasPasskeys } from './ceremony.ts'

type Passkey = AnswerOf<typeof api.passkeys.get>['passkeys'][number]

type Opened = 'add' | { rename: Passkey } | { remove: Passkey }

export default function Passkeys() {
  const passkeys = useApi(['passkeys'], () => api.passkeys.get())
  const [open, setOpen] = useState<Opened>()
  const close = (): void => setOpen(undefined)
  const may_add = passkeys.data?.offered === true && hasPasskeys()
  return (
    <Section
      title="Passkeys"
      actions={may_add && <Button onClick={() => setOpen('add')}>Add passkey</Button>}
    >
      <Loaded query={passkeys} rows={1}>
        {({ passkeys: own, offered }) =>
          own.length > 0 ? (
            <Table label="Passkeys" rows={own} columns={columnsOf(setOpen)} keyOf={({ id }) => id} />
          ) : (
            <p className="soft">{!offered ? NOT_OFFERED : hasPasskeys() ? NONE : ELSEWHERE}</p>
          )
        }
      </Loaded>
      <Dialog open={open === 'add'} onClose={close} title="Add passkey">
        {open === 'add' && <AddForm close={close} />}
      </Dialog>
      <Dialog open={typeof open === 'object' && 'rename' in open} onClose={close} title="Rename passkey">
        {typeof open === 'object' && 'rename' in open && <RenameForm of={open.rename} close={close} />}
      </Dialog>
      {typeof open === 'object' && 'remove' in open && <RemoveDialog of={open.remove} close={close} />}
    </Section>
  )
}

const NONE = 'A passkey signs you in with your fingerprint, face or PIN, and works on this site alone.'
const NOT_OFFERED = 'This gateway has no public https:// address, which passkeys need.'
const ELSEWHERE = 'Open this page at the public https:// address of the gateway to add a passkey.'

const columnsOf = (open: (opened: Opened) => void): Column<Passkey>[] => [
  column('name', 'Name', 'first', ({ name }) => name),
  column('created', 'Added', 'second', ({ created_at_ms }) => <ClockTime at_ms={created_at_ms} />),
  column('used', 'Last used', 'second-end', ({ last_used_at_ms }) =>
    last_used_at_ms === null ? 'never' : <ClockTime at_ms={last_used_at_ms} />,
  ),
  endColumn('change', '', 'first-end', (passkey) => (
    <>
      <Button small onClick={() => open({ rename: passkey })}>
        Rename
      </Button>{' '}
      <Button small onClick={() => open({ remove: passkey })}>
        Remove
      </Button>
    </>
  )),
]

function AddForm({ close }: { close: () => void }) {
  const [name, setName] = useState('')
  const add = useAction({
    work: () => addPasskey(name),
    changes: ['passkeys'],
    done: () => ({ text: `Passkey "${name.trim()}" added` }),
  })
  return (
    <Form submit={() => add.runOrThrow(undefined).then(close)} aria-label="Add passkey">
      <Field
        label="Name"
        name="name"
        help="Where it is kept, such as “laptop”. Your browser asks for the rest."
      >
        <TextInput autoComplete="off" autoFocus value={name} onChange={setName} />
      </Field>
      <SubmitOrCancel onCancel={close}>Add passkey</SubmitOrCancel>
    </Form>
  )
}

function RenameForm({ of: { id, name: before }, close }: { of: Passkey; close: () => void }) {
  const [name, setName] = useState(before)
  const rename = useAction({
    work: () => send(api.passkeys({ id: pathPart(id) }).patch({ name })),
    changes: ['passkeys'],
    done: () => ({ text: 'Passkey renamed' }),
  })
  return (
    <Form submit={() => rename.runOrThrow(undefined).then(close)} aria-label="Rename passkey">
      <Field label="Name" name="name">
        <TextInput autoComplete="off" autoFocus value={name} onChange={setName} />
      </Field>
      <SubmitOrCancel onCancel={close}>Save name</SubmitOrCancel>
    </Form>
  )
}

function RemoveDialog({ of: { id, name }, close }: { of: Passkey; close: () => void }) {
  const remove = useAction({
    work: () => send(api.passkeys({ id: pathPart(id) }).delete()),
    changes: ['passkeys'],
    done: () => ({ text: `Passkey "${name}" removed` }),
  })
  return (
    <ConfirmDialog
      open
      onClose={close}
      title={`Remove the passkey "${name}"?`}
      consequence="It no longer signs in here. Delete it on your device, too."
      verb="Remove passkey"
      confirm={() => remove.runOrThrow(undefined)}
    />
  )
}
