// The dialog that invites a person into an account, and shows the link if it is not mailed.
import { useState } from 'react'
import { type AnswerOf, api, send } from '../../console/web/app/client.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { ActionForm } from '../../console/web/parts/action-form.tsx'
import { Secret } from '../../console/web/parts/code.tsx'
import { Dialog, DialogDone, type DialogState, useResult } from '../../console/web/parts/dialog.tsx'
import { EmailInput } from '../../console/web/parts/email-input.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { Select } from '../../console/web/parts/select.tsx'
import { exactTime } from '../../console/web/parts/time-words.ts'
import { ROLES, type Role, type TeamProps } from './words.ts'

type Invited = AnswerOf<(typeof api)['team-invitations']['post']>

export function InvitePerson({ open, onClose, account }: TeamProps & DialogState) {
  const [invited, setInvited, end] = useResult<Invited>(onClose)
  const title = account ? `Invite a person to ${account.name}` : 'Invite a person'
  return (
    <Dialog open={open} onClose={end} title={title} dismissable={invited?.url == null}>
      {invited ? (
        <Sent invited={invited} end={end} />
      ) : (
        <InviteForm account={account} onInvited={setInvited} onCancel={end} />
      )}
    </Dialog>
  )
}

interface InviteFormProps extends TeamProps {
  onInvited: (invited: Invited) => void
  onCancel: () => void
}

function InviteForm({ account, onInvited, onCancel }: InviteFormProps) {
  const { side } = useViewer()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  const invite = () => {
    const of_account = account && { account: String(account.id) }
    return send(api['team-invitations'].post({ email: email.trim(), role, ...of_account }))
  }
  return (
    <ActionForm
      label="Invite a person"
      work={invite}
      changes={['team-invitations']}
      onClose={onCancel}
      onDone={onInvited}
      verb="Invite"
      command={
        side === 'operator' &&
        account &&
        `tollgate account team invite ${account.name} ${email.trim() || 'EMAIL'} --role ${role}`
      }
    >
      <Field label="Email" name="email">
        <EmailInput value={email} onChange={setEmail} />
      </Field>
      <Field label="Role" name="role">
        <Select options={ROLES} value={role} onChange={setRole} />
      </Field>
      <p className="soft small">
        They get a link that works once, for 7 days. If it cannot be mailed, you see it here and pass it on.
      </p>
    </ActionForm>
  )
}

function Sent({ invited: { email, url, expires_at_ms }, end }: { invited: Invited; end: () => void }) {
  const expires = exactTime(expires_at_ms)
  return (
    <>
      {url === null ? (
        <p>
          An invitation is on its way to {email}. Its link works once, until {expires}.
        </p>
      ) : (
        <>
          <p>
            Send this link to {email}. It works once, until {expires}, and is not shown again.
          </p>
          <Secret value={url} what="link" />
        </>
      )}
      <DialogDone onDone={end} />
    </>
  )
}
