# SPDX-License-Identifier: Apache-2.0
#
# The front door: what a person types. The build itself is described in
# meson.build; everything longer than a line here is a script in scripts/.

LISTEN   ?= 127.0.0.1:8080
ARGS     ?=
PREFIX   ?= /usr/local
DESTDIR  ?=
SECONDS  ?= 600
PACKAGES  = scripts/packages

.DEFAULT_GOAL := help
.PHONY: help run build test test-all bench lint format install deb npm clean fuzz soak \
        packages packages-test packages-lint packages-bench

help: ## lists what you can type
	@echo "make TARGET, where TARGET is one of"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-9s %s\n", $$1, $$2 }' Makefile
	@echo "Packages that are missing are installed first: packaging/debian-packages."

# 7 is "in the way": another program listens there.
run: build ## builds, then serves all engines; LISTEN=127.0.0.1:9000 ARGS=…
	@build/mica serve --listen $(LISTEN) $(ARGS) || { status=$$?; \
		[ $$status != 7 ] || echo "To serve elsewhere: make run" \
			"LISTEN=127.0.0.1:9000 (port 0 takes a free one)" >&2; \
		exit $$status; }

build: packages ## builds build/mica and the engines in build/engines
	@scripts/setup use

test: packages-test ## runs the tests on the plain build: eight to ten minutes
	scripts/test plain

test-all: packages-test ## runs the rest in half an hour: long tests, sanitizers, fuzz
	scripts/test more

bench: packages-bench ## measures mica beside its peers; report in bench/RESULTS.md
	scripts/bench

lint: packages-lint build ## checks the rules of the house; changes nothing
	scripts/lint

format: packages-lint ## lays out the C sources by .clang-format
	git ls-files '*.c' '*.h' | xargs clang-format-14 -i

install: build ## installs to PREFIX=/usr/local (below DESTDIR, if given)
	@meson configure build --no-pager | grep -q "^ *prefix  *$(PREFIX) " || { \
		meson setup --reconfigure build --prefix $(PREFIX) && \
		ninja -C build use; }
	meson install -C build --no-rebuild $(if $(DESTDIR),--destdir $(DESTDIR))

deb: packages ## builds Debian packages into build-deb/packages
	scripts/deb

npm: ## writes the npm package of views, hosts and the client: build/npm/mica-apps.tgz
	scripts/npm-package

clean: ## removes what these targets have built
	rm -rf build build-asan build-tsan build-fuzz build-deb

fuzz: packages-test ## fuzzes every decoder, SECONDS=600 each
	scripts/fuzz $(SECONDS)

soak: packages-test ## repeats the tests under the sanitizers for SECONDS=600
	scripts/soak $(SECONDS)

packages:
	@$(PACKAGES) build

packages-test:
	@$(PACKAGES) build test

packages-lint:
	@$(PACKAGES) build test lint

packages-bench:
	@$(PACKAGES) build bench
