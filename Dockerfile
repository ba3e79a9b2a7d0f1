# SPDX-License-Identifier: Apache-2.0
# mica serve in an image with nothing but itself: no shell, no package manager, a user
# without rights. `docker build -t mica .`, then
#
#     docker run --read-only --tmpfs /tmp -v mica-state:/var/lib/mica \
#         -p 127.0.0.1:8080:8080 mica
#
# serves the engines and interactive tools of this repository at
# http://127.0.0.1:8080/mcp. Yours are built with the same mica, and belong to root, who
# could change what runs anyway; so an image with
#
#     FROM mica
#     COPY build/engines /srv/mine/engines
#     COPY build/tools /srv/mine/tools
#     CMD ["serve", "--listen", "0.0.0.0:8080", "--public", "--allow-host", "localhost", "--engines", "/srv/mine/engines", "--tools", "/srv/mine/tools"]
#
# serves those of a project. docs/deploy.md says more.
FROM debian:bookworm AS build
WORKDIR /src
COPY packaging/debian-packages packaging/
COPY scripts/packages scripts/
RUN CI=1 scripts/packages build && rm -rf /var/lib/apt/lists/*
COPY . .
RUN meson setup build-image --prefix /usr -Dtests=disabled && ninja -C build-image use \
    && meson install -C build-image --no-rebuild --quiet --destdir /installed \
    && packaging/rootfs /image /installed build-image

FROM scratch
LABEL org.opencontainers.image.title="mica" \
      org.opencontainers.image.description="Tools over the Model Context Protocol, each written once as a C file" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /image /
USER 65532:65532
ENV XDG_STATE_HOME=/var/lib
WORKDIR /var/lib/mica
VOLUME /var/lib/mica
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=5s --retries=2 CMD ["/usr/bin/mica", "health"]
ENTRYPOINT ["/usr/bin/mica"]
CMD ["serve", "--listen", "0.0.0.0:8080", "--public", "--allow-host", "localhost", "--allow-host", "127.0.0.1", "--engines", "/srv/engines", "--tools", "/srv/tools"]
