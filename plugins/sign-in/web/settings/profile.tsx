// The viewer's name and email address. A new address takes effect when the viewer opens the link that is mailed to it.
import { useState } from 'react'
import { type AnswerOf, api, send } from '../../../console/web/app/client.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { ActionForm } from '../../../console/web/parts/action-form.tsx'
import { DialogButton } from '../../../console/web/parts/dialog-buttons.tsx'
import { EmailInput } from '../../../console/web/parts/email-input.tsx'
import { Facts } from '../../../console/web/parts/facts.tsx'
import { Field } from '../../../console/web/parts/field.tsx'
import { TextInput } from '../../../console/web/parts/input.tsx'
import { Section } from '../../../console/web/parts/page.tsx'

export type Me = AnswerOf<typeof api.me.get>

export const useMe = () => useApi(['me'], () => api.me.get())

export const ProfileSection = (me: Me) => (
  <Section title="Profile">
    <Profile {...me} />
  </Section>
)

function Profile({ name, email, email_is_verified, pending_email, can_mail }: Me) {
  return (
    <Facts
      facts={[
        [
          'Name',
          <span key="name" className="settings-fact">
            {name}
            <DialogButton
              small
              title="Change name"
              content={(close) => <NameForm name={name} close={close} />}
            >
              Change name
            </DialogButton>
          </span>,
        ],
        [
          'Email address',
          <div key="email">
            <span className="settings-fact">
              {email ?? 'none'}
              {can_mail && (
                <DialogButton
                  small
                  title="Email address"
                  content={(close) => (
                    <EmailForm email={email_is_verified ? '' : (email ?? '')} close={close} />
                  )}
                >
                  {email === null ? 'Add address' : email_is_verified ? 'Change address' : 'Confirm address'}
                </DialogButton>
              )}
            </span>
            <p className="small soft">{wordsOf({ email, email_is_verified, pending_email, can_mail })}</p>
          </div>,
        ],
      ]}
    />
  )
}

function wordsOf({
  email,
  email_is_verified,
  pending_email,
  can_mail,
}: Pick<Me, 'email' | 'email_is_verified' | 'pending_email' | 'can_mail'>): string {
  if (pending_email !== null) return `Open the link that was mailed to ${pending_email}.`
  if (email_is_verified) return 'Confirmed. You sign in with it, and get links and notices there.'
  if (!can_mail) return 'No mail server is set.'
  return email === null
    ? 'With a confirmed address you can sign in by a link, and set a new password if you forget yours.'
    : 'Not confirmed yet: no links are mailed to it.'
}

function NameForm({ name: before, close }: { name: string; close: () => void }) {
  const [name, setName] = useState(before)
  return (
    <ActionForm
      label="Change name"
      work={() => send(api.me.put({ name }))}
      changes={['me']}
      done={() => 'Name changed'}
      onClose={close}
      verb="Save name"
    >
      <Field label="Name" name="name" help="Your team and the operator see it.">
        <TextInput autoComplete="name" autoFocus value={name} onChange={setName} />
      </Field>
    </ActionForm>
  )
}

function EmailForm({ email: before, close }: { email: string; close: () => void }) {
  const [email, setEmail] = useState(before)
  return (
    <ActionForm
      label="Email address"
      work={() => send(api.me.email.post({ email }))}
      changes={['me']}
      done={({ pending_email }) => `Link mailed to ${pending_email}`}
      onClose={close}
      verb="Send link"
    >
      <Field
        label="Email address"
        name="email"
        help="A link is mailed there. It becomes your address once you open the link in this browser."
      >
        <EmailInput own autoFocus value={email} onChange={setEmail} />
      </Field>
    </ActionForm>
  )
}
