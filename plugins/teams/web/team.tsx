// The page of a team: the people and open invitations of the viewer's account.
import { Page } from '../../console/web/parts/page.tsx'
import { TeamList } from './team-list.tsx'

export default function Team() {
  return (
    <Page
      title="Team"
      lead="Owners manage the account, members have API keys of their own, and billing sees calls and payments."
    >
      <TeamList />
    </Page>
  )
}
