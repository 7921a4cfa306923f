// The dialog that creates an invitation to sign up: mailed to one address, or a link to pass on.
import { useState } from 'react'
import { type AnswerOf, api, send } from '../../console/web/app/client.ts'
import { ActionForm } from '../../console/web/parts/action-form.tsx'
import { Code } from '../../console/web/parts/code.tsx'
import { Dialog, DialogDone, type DialogState, useResult } from '../../console/web/parts/dialog.tsx'
import { EmailInput } from '../../console/web/parts/email-input.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { TextInput, UnitInput } from '../../console/web/parts/input.tsx'

type Invitation = AnswerOf<(typeof api)['sign-up-invitations']['post']>

export function InviteDialog({ open, onClose }: DialogState) {
  const [made, setMade, close] = useResult<Invitation>(onClose)
  return (
    <Dialog open={open} onClose={close} title={made ? 'Invitation created' : 'Invite to sign up'}>
      {made ? <Made invitation={made} onClose={close} /> : <InviteForm onMade={setMade} onClose={close} />}
    </Dialog>
  )
}

function InviteForm({ onMade, onClose }: { onMade: (made: Invitation) => void; onClose: () => void }) {
  const [email, setEmail] = useState('')
  const [uses, setUses] = useState('1')
  const [days, setDays] = useState('14')
  const to = email.trim()
  const invite = () => {
    const number = (text: string) => (text.trim() === '' ? undefined : Number(text))
    const of_whom = to === '' ? { uses: number(uses) } : { email: to }
    return send(api['sign-up-invitations'].post({ ...of_whom, days: number(days) }))
  }
  const command = `tollgate sign-up invite${to === '' ? ` --uses ${uses}` : ` --email ${to}`} --expires ${days}d`
  return (
    <ActionForm
      label="Invite to sign up"
      work={invite}
      changes={['sign-up-invitations']}
      done={({ mailed_to }) =>
        mailed_to === null ? 'Invitation created' : `Invitation queued to ${mailed_to}`
      }
      onClose={onClose}
      onDone={onMade}
      command={command}
      verb={to === '' ? 'Create link' : 'Send invitation'}
    >
      <Field
        label="Email"
        name="email"
        help="The invitation is mailed there, and works for it alone. Leave empty for a link to pass on."
      >
        <EmailInput value={email} onChange={setEmail} />
      </Field>
      {to === '' && (
        <Field label="Accounts" name="uses" help="How many people may sign up by it.">
          <TextInput inputMode="numeric" autoComplete="off" value={uses} onChange={setUses} />
        </Field>
      )}
      <Field label="Expires in" name="days">
        <UnitInput unit="days" inputMode="numeric" value={days} onChange={setDays} />
      </Field>
    </ActionForm>
  )
}

const Made = ({
  invitation: { url, mailed_to },
  onClose,
}: {
  invitation: Invitation
  onClose: () => void
}) => (
  <div className="stack">
    {url === null ? (
      <p>The invitation is on its way to {mailed_to}.</p>
    ) : (
      <>
        <p>Send this link to the people whom you invite. It is shown only here.</p>
        <Code what="link" wraps secret>
          {url}
        </Code>
      </>
    )}
    <DialogDone onDone={onClose} />
  </div>
)
