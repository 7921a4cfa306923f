// The page of the books: do the sums hold, rule by rule; and the entries.

import { EntriesList } from '../../parts/entries-list.tsx'
import { Page } from '../../parts/page.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Audit } from './audit.tsx'

export default function Books() {
  return (
    <Page title="Books" lead="Every balance, hold and charge, checked against each other.">
      <Tabs
        label="Parts of the books"
        tabs={[
          { value: 'audit', title: 'Audit', content: <Audit /> },
          { value: 'entries', title: 'Entries', content: <EntriesList /> },
        ]}
      />
    </Page>
  )
}
