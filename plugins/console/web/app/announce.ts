// Announcements for screen readers: a live region beside the page.
let region: HTMLElement | undefined

export function announce(words: string): void {
  if (!region) {
    region = document.createElement('div')
    region.className = 'unseen'
    region.setAttribute('role', 'status')
    document.body.append(region)
  }
  // Cleared first, so that the same words are announced again.
  region.textContent = ''
  const place = region
  setTimeout(() => {
    place.textContent = words
  }, 50)
}
