// The page of entries: every movement of a balance.
import { useViewer } from '../../app/session.tsx'
import { EntriesList } from '../../parts/entries-list.tsx'
import { Page } from '../../parts/page.tsx'

export default function Entries() {
  const { role } = useViewer()
  const whose = role === 'operator' ? 'every balance' : 'your balance'
  return (
    <Page title="Entries" lead={`Every movement of ${whose}. Their sum is what is there.`}>
      <EntriesList />
    </Page>
  )
}
