// The menu of a person of the staff: another role or name, a new link, disabling and removing.
import { Ban, CirclePlay, Link as LinkIcon, PenLine, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { type AnswerOf, api, pathPart, send } from '../../console/web/app/client.ts'
import { useAction } from '../../console/web/parts/action.ts'
import { ActionForm } from '../../console/web/parts/action-form.tsx'
import { ConfirmDialog, Dialog } from '../../console/web/parts/dialog.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { TextInput } from '../../console/web/parts/input.tsx'
import { Menu } from '../../console/web/parts/menu.tsx'
import { Select } from '../../console/web/parts/select.tsx'
import { LinkMade } from './add-staff.tsx'
import { mayWords, ROLE_OPTIONS, type StaffPerson } from './roles.ts'

type Open = 'change' | 'disable' | 'remove' | 'link'
type Made = AnswerOf<ReturnType<typeof api.staff>['link']['post']>

export function PersonMenu({ person }: { person: StaffPerson }) {
  const [open, setOpen] = useState<Open | null>(null)
  const [made, setMade] = useState<Made | null>(null)
  const { name, state } = person
  const close = () => setOpen(null)
  const { disable, enable, remove, link } = usePersonActions(person)
  const is_disabled = state === 'disabled'
  return (
    <>
      <Menu
        label={`More for ${name}`}
        items={[
          { label: 'Change role or name', icon: PenLine, onSelect: () => setOpen('change') },
          ...(is_disabled
            ? [{ label: 'Enable', icon: CirclePlay, onSelect: () => enable.run(undefined) }]
            : [
                { label: 'Send a new link', icon: LinkIcon, onSelect: () => setOpen('link') },
                { label: 'Disable', icon: Ban, onSelect: () => setOpen('disable') },
              ]),
          'line',
          { label: 'Remove', icon: Trash2, danger: true, onSelect: () => setOpen('remove') },
        ]}
      />
      <Dialog open={open === 'change'} onClose={close} title={`Change ${name}`}>
        <ChangeForm person={person} onClose={close} />
      </Dialog>
      <ConfirmDialog
        open={open === 'link'}
        onClose={close}
        title={`New link for ${name}?`}
        consequence="They set a new password by it. Their password works until then; an earlier link stops working."
        verb="Make link"
        confirm={async () => setMade(await link.runOrThrow(undefined))}
      />
      <Dialog
        open={made !== null}
        onClose={() => setMade(null)}
        title={`Link for ${name}`}
        dismissable={made?.url == null}
      >
        {made && <LinkMade {...made} onClose={() => setMade(null)} />}
      </Dialog>
      <ConfirmDialog
        open={open === 'disable'}
        onClose={close}
        title={`Disable ${name}?`}
        consequence="This ends all of their sessions at once. They cannot sign in until you enable them again."
        verb={`Disable ${name}`}
        confirm={() => disable.runOrThrow(undefined)}
      />
      <ConfirmDialog
        open={open === 'remove'}
        onClose={close}
        title={`Remove ${name} from the staff?`}
        consequence="This ends their sessions here at once. The audit log keeps what they did. An account that they are in stays theirs."
        verb={`Remove ${name}`}
        confirm={() => remove.runOrThrow(undefined)}
      />
    </>
  )
}

function usePersonActions({ id, name }: StaffPerson) {
  const at = api.staff({ id: pathPart(id) })
  const disable = useAction({
    work: () => send(at.disable.post()),
    changes: ['staff', 'sessions'],
    done: () => ({ text: `${name} cannot sign in any more` }),
  })
  const enable = useAction({
    work: () => send(at.enable.post()),
    changes: ['staff'],
    done: () => ({ text: `${name} can sign in again` }),
  })
  const remove = useAction({
    work: () => send(at.delete()),
    changes: ['staff', 'sessions'],
    done: () => ({ text: `${name} removed from the staff` }),
  })
  const link = useAction({ work: () => send(at.link.post({})), changes: ['mails'] })
  return { disable, enable, remove, link }
}

function ChangeForm({ person, onClose }: { person: StaffPerson; onClose: () => void }) {
  const { id, name: before } = person
  const [name, setName] = useState(before)
  const [role, setRole] = useState(person.role)
  const change = () =>
    send(
      api.staff({ id: pathPart(id) }).patch({
        ...(name === before ? {} : { name }),
        ...(role === person.role ? {} : { role }),
      }),
    )
  return (
    <ActionForm
      label="Change"
      work={change}
      changes={['staff', 'session']}
      done={() => `${name.trim()} changed`}
      onClose={onClose}
      command={`tollgate staff change ${person.email ?? String(id)} --role ${role}`}
      verb="Save changes"
    >
      <Field label="Name" name="name">
        <TextInput autoComplete="off" value={name} onChange={setName} />
      </Field>
      <Field label="Role" name="role" help={mayWords(role)}>
        <Select options={ROLE_OPTIONS} value={role} onChange={setRole} />
      </Field>
    </ActionForm>
  )
}
