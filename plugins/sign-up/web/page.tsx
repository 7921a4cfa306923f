// The page of sign-ups: pending and completed ones, and invitations.
import { Settings, UserPlus } from 'lucide-react'
import { useState } from 'react'
import { useViewer } from '../../console/web/app/session.tsx'
import { Button, ButtonLink } from '../../console/web/parts/button.tsx'
import { Page } from '../../console/web/parts/page.tsx'
import { Tabs } from '../../console/web/parts/tabs.tsx'
import { InvitationList } from './invitation-list.tsx'
import { InviteDialog } from './invite.tsx'
import { SignUpList } from './sign-up-list.tsx'

export default function SignUps() {
  const { rights } = useViewer()
  const [inviting, setInviting] = useState(false)
  return (
    <Page
      title="Sign-ups"
      lead="People who created an account for themselves, and those who have yet to open the link of their mail."
      actions={
        <>
          <ButtonLink icon={Settings} href="/settings/sign_up" right="operate">
            Sign-up settings
          </ButtonLink>
          {rights.includes('help_accounts') && (
            <Button look="primary" icon={UserPlus} onClick={() => setInviting(true)}>
              Invite to sign up
            </Button>
          )}
        </>
      }
    >
      <Tabs
        label="Sign-ups"
        tabs={[
          { value: 'sign-ups', title: 'Sign-ups', content: <SignUpList /> },
          { value: 'invitations', title: 'Invitations', content: <InvitationList /> },
        ]}
      />
      <InviteDialog open={inviting} onClose={() => setInviting(false)} />
    </Page>
  )
}
