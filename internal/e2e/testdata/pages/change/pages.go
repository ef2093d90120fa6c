// Package pages cuts lists into pages.
package pages

// Count returns how many pages of a size hold so many items. The size is at least 1.
func Count(items, size int) int {
	return (items + size - 1) / size
}
